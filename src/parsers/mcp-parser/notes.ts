import type { Exchange } from '../../core/exchange.ts'

/** A gate has allowed an MCP message to this host. */
export const hostNote = (x: Exchange): string => `mcp-host:${x.request.host}`

/** The answer to an allowed call named this task. */
export const taskNote = (x: Exchange, taskId: string): string => `mcp-task:${x.request.host}:${taskId}`
