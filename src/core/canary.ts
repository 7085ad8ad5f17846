/**
 * Where `plumbline doctor` sends its canaries: a name that no name server may ever know (RFC 6761). What reaches a name
 * server under this name passed a gate that was not there.
 */
export const CANARY_HOST = 'canary.plumbline.invalid'

/**
 * A request to the canary host with this header and the value `close` has its ext_proc stream ended with an error, so
 * that one can see what the gateway does when there is no verdict. It harms nobody: the sender loses its own request.
 */
export const CANARY_HEADER = 'x-plumbline-canary'
