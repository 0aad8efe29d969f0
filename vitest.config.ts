import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/run-folder.ts"],
    setupFiles: ["test/support/property-seed.ts"],
    exclude: [...configDefaults.exclude, "dist/**", ".tools/**", ".stryker-tmp/**"],
    // One process a file: tests change the environment and start programs.
    pool: "forks",
    // Containers, not cores, are what runs short.
    maxWorkers: 2,
    // Generous, because a shared machine is slow and stalls: no test measures time by them, and `until` gives up before.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
    // A test that asserts nothing (a loop over nothing, a callback that is never called) fails.
    expect: { requireAssertions: true, poll: { timeout: 240_000 } },
  },
});
