import { UserError } from "../../core/errors.ts";
import { connectEngine } from "../engine/engine.ts";
import { hasImage } from "../engine/engine-messages.ts";
import { nodeImage, NODE_SERVERS, TOXIPROXY_IMAGE } from "./images.ts";

/**
 * Makes sure that the images of a run's nodes and of Toxiproxy exist, before anything starts.
 * @throws UserError when one is missing, or there is no engine
 */
export async function requireImages(nodes: readonly string[]): Promise<void> {
  const engine = await connectEngine();
  for (const name of [...nodes, TOXIPROXY_IMAGE]) {
    if (await hasImage(engine, name)) continue;
    const server = NODE_SERVERS.find((server) => nodeImage(server).name === name);
    const option = server === undefined || server === "redis8" ? "" : ` --server ${server}`;
    throw new UserError(`the image ${name} is missing`, `run \`lockstorm setup${option}\``);
  }
}
