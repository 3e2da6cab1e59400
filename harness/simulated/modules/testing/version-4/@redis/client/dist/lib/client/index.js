"use strict";
// As the file of node-redis 4 with this path: its class has methods already, one of which is read before it grows.
const commander = require("../commander");
class RedisClient {
  commandsExecutor(command, args) {
    return [command, ...args];
  }
  quit() {
    return "over";
  }
}
exports.default = RedisClient;
const commands = {};
for (let number = 0; number < 300; number += 1) commands["command" + number] = number;
commander.attachCommands({
  BaseClass: RedisClient,
  commands,
  executor: RedisClient.prototype.commandsExecutor,
});
