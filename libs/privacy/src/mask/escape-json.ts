/** Returns the content of the JSON string for `text`, without quotes. */
export function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
