import { expect, test } from "vitest";
import { isDebianKin } from "./host-packages.ts";

test.each([
  ["Debian", 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n', true],
  ["Ubuntu", "ID=ubuntu\nID_LIKE=debian\n", true],
  ["a derivative of a derivative", 'ID=pop\nID_LIKE="ubuntu debian"\n', true],
  ["Fedora", "ID=fedora\n", false],
  ["a distribution that only mentions it", 'ID=other\nHOME_URL="https://debian.example"\nVARIANT_ID=debian\n', false],
  ["no os-release", "", false],
])("%s", (_name, osRelease, expected) => {
  expect(isDebianKin(osRelease)).toBe(expected);
});
