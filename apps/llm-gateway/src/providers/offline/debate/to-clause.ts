const SMALL_WORDS =
  'a|an|the|this|that|these|those|it|we|they|you|he|she|our|my|your|their|its|there|in|on|to|what|no';
const BEGINS_SMALL = new RegExp(String.raw`^(?:${SMALL_WORDS})\b`, 'iu');

/**
 * A statement as it stands behind "that": without a capital, unless its first word may be a name.
 */
export const toClause = (statement: string): string =>
  BEGINS_SMALL.test(statement) ? `${statement[0]!.toLowerCase()}${statement.slice(1)}` : statement;
