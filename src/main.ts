#!/usr/bin/env node
import { runCli } from './cli/cli.ts'

// Connections that plugins keep open for reuse would hold an ended process for seconds.
process.exit(await runCli(process.argv.slice(2)))
