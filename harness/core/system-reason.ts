import { messageOf } from "./errors.ts";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EISDIR: "it is a folder",
  ENOTDIR: "part of its path is not a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "there is no space left",
  EDQUOT: "the quota is used up",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "it is a symbolic link, or symbolic links form a loop",
  ENXIO: "its reading end is closed",
};

/** Why the operating system refused, in plain words; its own message repeats the path. */
export function systemReason(error: unknown): string {
  const code = codeOf(error);
  return (code === undefined ? undefined : REASONS[code]) ?? messageOf(error);
}

/** How to make a write possible that the system refused with this error, or with one that has it as its cause. */
export function mendOfWriting(error: unknown): string {
  const code = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : undefined);
  if (code === "ENOSPC" || code === "EDQUOT") return "free space and repeat the command, a campaign with --resume";
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return "make it writable, or name another path";
  return "name another path";
}

/** The system's code of an error: `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
