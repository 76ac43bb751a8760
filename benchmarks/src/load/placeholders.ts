/** Replaced by a number in every call, so that no two questions are equal. */
export const SERIAL_PLACEHOLDER = '0000000';
/** Replaced by the id of a chat session, which has the same length. */
export const SESSION_PLACEHOLDER = 'ses_0000000000000000000000';
