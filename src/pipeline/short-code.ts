/** A code as records name it: `plumbline.too_large` → `too_large`. */
export function shortCode(code: string): string {
  return code.slice(code.indexOf('.') + 1)
}
