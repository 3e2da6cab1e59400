"use strict";
// As the file of node-redis 4 with this path: it adds commands to the prototype of a class that exists, one by one.
function attachCommands({ BaseClass, commands, executor }) {
  for (const [name, command] of Object.entries(commands)) {
    BaseClass.prototype[name] = function (...args) {
      return executor.call(this, command, args);
    };
  }
}
exports.attachCommands = attachCommands;
