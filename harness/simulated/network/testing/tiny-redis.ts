import type { Service } from "../service.ts";

/**
 * Just enough of Redis for ioredis to connect and run some commands: HELLO 3, INFO, PING, ECHO, SET, GET, INCR; it
 * answers all others with OK. For tests of the network only.
 */
export function tinyRedis(): Service {
  const data = new Map<string, string>();
  return {
    onConnect(connection) {
      let pending: Buffer = Buffer.alloc(0);
      return {
        onData(bytes) {
          pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
          let replies = "";
          for (;;) {
            const parsed = parseCommand(pending);
            if (parsed === undefined) break;
            pending = pending.subarray(parsed.length);
            replies += reply(parsed.words, data);
          }
          if (replies !== "") connection.write(Buffer.from(replies));
        },
      };
    },
  };
}

function reply([command = "", first = "", second = ""]: readonly string[], data: Map<string, string>): string {
  switch (command.toUpperCase()) {
    case "HELLO":
      return "%2\r\n+server\r\n+redis\r\n+proto\r\n:3\r\n";
    case "INFO":
      return bulk("redis_version:8.0.2\r\nloading:0\r\nrole:master\r\n");
    case "PING":
      return "+PONG\r\n";
    case "ECHO":
      return bulk(first);
    case "SET":
      data.set(first, second);
      return "+OK\r\n";
    case "GET": {
      const value = data.get(first);
      return value === undefined ? "_\r\n" : bulk(value);
    }
    case "INCR": {
      const next = Number(data.get(first) ?? "0") + 1;
      data.set(first, String(next));
      return `:${next}\r\n`;
    }
    default:
      return "+OK\r\n";
  }
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}

/** The first whole command of `bytes`, and how many bytes it takes. */
function parseCommand(bytes: Buffer): { readonly words: string[]; readonly length: number } | undefined {
  const words: string[] = [];
  let position = 0;
  const line = (): string | undefined => {
    const end = bytes.indexOf("\r\n", position);
    if (end < 0) return undefined;
    const text = bytes.toString("latin1", position + 1, end);
    position = end + 2;
    return text;
  };
  const count = line();
  if (count === undefined) return undefined;
  for (let index = 0; index < Number(count); index += 1) {
    const size = line();
    if (size === undefined || position + Number(size) + 2 > bytes.length) return undefined;
    words.push(bytes.toString("utf8", position, position + Number(size)));
    position += Number(size) + 2;
  }
  return { words, length: position };
}
