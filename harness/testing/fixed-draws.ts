/**
 * Set-up of every test file: in CI, tests of random inputs draw the same ones each time, so that a change is red for what
 * it did. Elsewhere they draw new ones, and print the seed of what failed.
 */
import fc from "fast-check";

const CI_SEED = 1;

if (process.env["CI"] !== undefined) fc.configureGlobal({ seed: CI_SEED });
