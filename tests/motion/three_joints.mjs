// Run by Node: where three.js has every joint of a glTF file, frame by frame, as JSON.
// three_joints.mjs THREE FILE FPS FRAMES; THREE is the package's folder.
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, file, fps, frames] = process.argv.slice(2);
const module = (path) => import(pathToFileURL(`${folder}/${path}`));
const { AnimationMixer, Vector3 } = await module("build/three.module.js");
const { GLTFLoader } = await module("examples/jsm/loaders/GLTFLoader.js");

const bytes = fs.readFileSync(file);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const { scene, animations } = await new GLTFLoader().parseAsync(buffer, "");
const bones = [];
let skins = 0;
scene.traverse((node) => {
  if (node.isBone) bones.push(node);
  if (node.isSkinnedMesh) skins += 1;
});
const mixer = new AnimationMixer(scene);
mixer.clipAction(animations[0]).play();
const places = [];
for (let frame = 0; frame < Number(frames); frame++) {
  // Just before the end, or the last frame would be the first of the next round.
  mixer.setTime(Math.min(frame / Number(fps), animations[0].duration - 1e-7));
  scene.updateMatrixWorld(true);
  places.push(bones.map((bone) => bone.getWorldPosition(new Vector3()).toArray()));
}
console.log(JSON.stringify({ names: bones.map((bone) => bone.name), places, skins }));
