/** Returns `text` escaped for use inside a JSON string, without the enclosing quotes. */
export function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
