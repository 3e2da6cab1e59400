"use strict";
// As the file of node-redis with this path: it makes a class and adds commands to its prototype one by one.
function attachConfig({ BaseClass, commands }) {
  const Class = class extends BaseClass {
  };
  for (const [name, command] of Object.entries(commands)) Class.prototype[name] = command;
  return Class;
}
exports.attachConfig = attachConfig;
