// A library as many are: CommonJS without a type, with a counter, a pool of randomness and a queue at module level.
const { randomBytes } = require("node:crypto");
const { version } = require("./package.json");
const circle = require("./circle.js");

const pool = randomBytes(8);
let count = 0;
let shared;

exports.version = version;
exports.circle = circle;
exports.pool = pool.toString("hex");
exports.next = () => (count += 1);
exports.connection = (make) => (shared ??= make());
exports.loadModule = () => import("./module.mjs");
exports.requireModule = () => require("./module.mjs");
