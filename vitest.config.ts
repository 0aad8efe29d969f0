import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "dist/**", ".tools/**", ".stryker-tmp/**"],
    // One process a file: tests change the environment and start programs.
    pool: "forks",
    // Containers, not cores, are what runs short.
    maxWorkers: 2,
    // Generous, because a shared machine stalls: no test measures time by them.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
