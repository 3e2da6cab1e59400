"use strict";
// As built/utils/Commander.js of ioredis 5 and 6: a class that gets a method for each command, one by one.
const list = Array.from({ length: 300 }, (_, number) => "command" + number);
class Commander {
  getBuiltinCommands() {
    return commands.slice(0);
  }
}
const commands = list.filter((name) => name !== "command299");
commands.push("sentinel");
commands.forEach(function (name) {
  Commander.prototype[name] = generateFunction(name, "utf8");
  Commander.prototype[name + "Buffer"] = generateFunction(name, null);
});
Commander.prototype.call = generateFunction("call", "utf8");
function generateFunction(name, encoding) {
  return (...args) => [name, encoding, ...args];
}
exports.default = Commander;
