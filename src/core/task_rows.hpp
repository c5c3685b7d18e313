// Writes rows of the task table, from numbers and short sequences: what numpy takes microseconds for.
#pragma once
#include <nanobind/nanobind.h>

#include "records.hpp"

namespace amble {

class TaskRows {
 public:
  TaskRows(IntRows ints, Rows reals) : ints_(ints), reals_(reals) {}

  // Rows first … first + count: kind, index, axis and mode, and every column of the reals.
  void write(int first, int count, int kind, nb::handle index, nb::handle axes, int mode, nb::tuple columns) {
    check(first, count);
    if (columns.size() != kRealColumns) throw nb::value_error("a row of a task has eight columns of numbers");
    int* row = ints_.data() + kIntColumns * first;
    for (int k = 0; k < count; k++) {
      row[kIntColumns * k + iKind] = kind;
      row[kIntColumns * k + iMode] = mode;
      row[kIntColumns * k + iSlot] = 0;
    }
    spread(index, row + iIndex, kIntColumns, count);
    spread(axes, row + iAxis, kIntColumns, count);
    for (int column = 0; column < kRealColumns; column++) set(first, count, column, columns[column]);
  }

  // One column of the reals.
  void set(int first, int count, int column, nb::handle value) {
    check(first, count);
    if (column < 0 || column >= kRealColumns) throw nb::index_error("no such column");
    spread(value, reals_.data() + kRealColumns * first + column, kRealColumns, count);
  }

  void turn(int first, int count, int slot) {
    check(first, count);
    for (int k = 0; k < count; k++) ints_.data()[kIntColumns * (first + k) + iSlot] = slot;
  }

 private:
  void check(int first, int count) const {
    if (first < 0 || count < 0 || size_t(first) + count > ints_.shape(0)) throw nb::index_error("no such rows");
  }

  // A number for all rows, or a sequence or array of one for each.
  template <class T>
  static void spread(nb::handle value, T* out, int stride, int count) {
    PyObject* given = value.ptr();
    if (PyFloat_Check(given) || PyLong_Check(given)) {
      const T one = number<T>(given);
      for (int k = 0; k < count; k++) out[stride * k] = one;
    } else if (PyTuple_Check(given) || PyList_Check(given)) {
      spread_items(given, out, stride, count);
    } else {
      const nb::object list = value.attr("tolist")();  // an array, or a number of numpy's
      if (PyList_Check(list.ptr())) spread_items(list.ptr(), out, stride, count);
      else spread(list, out, stride, count);
    }
  }

  template <class T>
  static void spread_items(PyObject* sequence, T* out, int stride, int count) {
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(sequence);
    if (size != count && size != 1) throw nb::value_error("give one number, or one for each row");
    PyObject** item = PySequence_Fast_ITEMS(sequence);
    for (int k = 0; k < count; k++) out[stride * k] = number<T>(item[size == 1 ? 0 : k]);
  }

  template <class T>
  static T number(PyObject* given) {
    const T value = std::is_same<T, double>::value ? T(PyFloat_AsDouble(given)) : T(PyLong_AsLong(given));
    if (value == T(-1) && PyErr_Occurred()) throw nb::python_error();
    return value;
  }

  IntRows ints_;
  Rows reals_;
};

}  // namespace amble
