import { brokenConnection } from "./checks/broken-connection.ts";
import { contention } from "./checks/contention.ts";
import { disposal } from "./checks/disposal.ts";
import { expiry } from "./checks/expiry.ts";
import { extension } from "./checks/extension.ts";
import { fencing } from "./checks/fencing.ts";
import { foreignRelease } from "./checks/foreign-release.ts";
import { givingUp } from "./checks/giving-up.ts";
import { grants } from "./checks/grants.ts";
import { lateGrant } from "./checks/late-grant.ts";
import { lateReplies } from "./checks/late-replies.ts";
import { loss } from "./checks/loss.ts";
import { brokenExtension, lostExtension } from "./checks/lost-extension.ts";
import { brokenRelease, lostRelease } from "./checks/lost-release.ts";
import { brokenReply, lostReply } from "./checks/lost-reply.ts";
import { lostRequest } from "./checks/lost-request.ts";
import { oneTry } from "./checks/one-try.ts";
import { ownGrant } from "./checks/own-grant.ts";
import { ownerValues } from "./checks/owner-values.ts";
import { permits } from "./checks/permits.ts";
import { queue } from "./checks/queue.ts";
import { readers } from "./checks/readers.ts";
import { release } from "./checks/release.ts";
import { renewal } from "./checks/renewal.ts";
import { serverDown } from "./checks/server-down.ts";
import { severalAtOnce } from "./checks/several-at-once.ts";
import { severalKeys } from "./checks/several-keys.ts";
import { unansweredRenewal } from "./checks/unanswered-renewal.ts";
import { validity } from "./checks/validity.ts";
import { waiting } from "./checks/waiting.ts";
import type { ConformityCheck } from "./conformity.ts";

/** What a driver is tried for, the simplest first. */
export const CHECKLIST: readonly ConformityCheck[] = [
  grants,
  contention,
  oneTry,
  waiting,
  givingUp,
  release,
  ownGrant,
  ownerValues,
  expiry,
  validity,
  lateGrant,
  extension,
  renewal,
  loss,
  unansweredRenewal,
  foreignRelease,
  fencing,
  permits,
  readers,
  severalKeys,
  severalAtOnce,
  queue,
  lostReply,
  brokenReply,
  lostRelease,
  brokenRelease,
  lostExtension,
  brokenExtension,
  lostRequest,
  lateReplies,
  serverDown,
  brokenConnection,
  disposal,
];
