import { once } from "node:events";
import { PassThrough, type Duplex } from "node:stream";
import type Dockerode from "dockerode";
import { HarnessError } from "../../core/errors.ts";
import { SerialQueue } from "../../core/serial-queue.ts";

/**
 * A shell inside a node's container, as root with NET_ADMIN, kept open because a fresh `exec` takes 40 times as long
 * as a command in an open shell. It dies with the container; the next command opens another.
 */
export class NodeShell implements AsyncDisposable {
  readonly #container: Dockerode.Container;
  #stream: Duplex | undefined;
  #output = "";
  #sequence = 0;
  #changed = Promise.withResolvers<void>();
  readonly #queue = new SerialQueue();

  constructor(container: Dockerode.Container) {
    this.#container = container;
  }

  /**
   * Runs a command and returns its standard output. Commands run one after another.
   * @throws HarnessError when it does not exit with 0, or not in time
   */
  run(command: string, deadlineMs = 5_000): Promise<string> {
    return this.#queue.run(() => this.#run(command, deadlineMs));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stream?.destroy();
    this.#stream = undefined;
  }

  async #run(command: string, deadlineMs: number): Promise<string> {
    const stream = (this.#stream ??= await this.#open());
    const mark = `lockstorm-done-${(this.#sequence += 1)}`;
    this.#output = "";
    stream.write(`{ ${command}\n} 2>&1; echo "${mark} $?"\n`);
    const end = new RegExp(`${mark} (\\d+)\\n`);
    const deadline = AbortSignal.timeout(deadlineMs);
    const late = once(deadline, "abort");
    for (;;) {
      const match = end.exec(this.#output);
      if (match !== null) {
        const output = this.#output.slice(0, match.index);
        if (match[1] === "0") return output;
        throw new HarnessError(`in ${this.#container.id.slice(0, 12)}, "${command}" failed: ${output.trim()}`);
      }
      if (stream.destroyed || deadline.aborted) {
        this.#stream = undefined;
        stream.destroy();
        throw new HarnessError(`in ${this.#container.id.slice(0, 12)}, "${command}" did not come to an end`);
      }
      await Promise.race([this.#changed.promise, late]);
    }
  }

  async #open(): Promise<Duplex> {
    const exec = await this.#container.exec({
      Cmd: ["sh"],
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
    });
    const stream = await exec.start({ hijack: true, stdin: true });
    const output = new PassThrough();
    this.#container.modem.demuxStream(stream, output, output);
    output.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
      this.#wake();
    });
    stream.on("close", () => this.#wake());
    stream.on("error", () => this.#wake());
    return stream;
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
