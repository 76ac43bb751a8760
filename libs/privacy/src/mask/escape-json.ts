/** A text as it stands between the quotes of a JSON string; a lone surrogate is escaped. */
export function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
