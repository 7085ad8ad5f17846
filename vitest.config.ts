import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          sequence: { groupOrder: 0 },
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/altk/**', 'test/soak/**', 'test/charts/**'],
        },
      },
      {
        // Helm and the schemas of Kubernetes, in a Python beside them.
        test: {
          name: 'charts',
          sequence: { groupOrder: 0 },
          include: ['test/charts/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        // Real processes on real sockets: one file at a time, generous limits (no test asserts a time).
        test: {
          name: 'e2e',
          sequence: { groupOrder: 1 },
          include: ['test/e2e/**/*.test.ts', 'test/altk/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'soak',
          sequence: { groupOrder: 2 },
          include: ['test/soak/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 900_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
