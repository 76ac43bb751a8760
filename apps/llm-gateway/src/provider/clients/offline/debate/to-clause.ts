const SMALL_WORDS =
  'a|an|the|this|that|these|those|it|we|they|you|he|she|our|my|your|their|its|there|in|on|to|what|no';
const BEGINS_SMALL = new RegExp(String.raw`^(?:${SMALL_WORDS})\b`, 'iu');

/**
 * Returns a statement for use after "that": without its capital, unless the first word may be a
 * name.
 */
export const toClause = (statement: string): string =>
  BEGINS_SMALL.test(statement) ? `${statement[0]!.toLowerCase()}${statement.slice(1)}` : statement;
