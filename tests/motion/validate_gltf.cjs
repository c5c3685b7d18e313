// Run by Node: the Khronos validator's report on a file, as JSON. validate_gltf.cjs VALIDATOR FILE
const fs = require("fs");
const validator = require(process.argv[2]);
validator
  .validateBytes(new Uint8Array(fs.readFileSync(process.argv[3])))
  .then((report) => console.log(JSON.stringify(report)));
