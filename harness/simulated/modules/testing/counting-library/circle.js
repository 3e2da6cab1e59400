exports.partner = require("./index.js");
exports.early = Object.keys(exports.partner).length;
