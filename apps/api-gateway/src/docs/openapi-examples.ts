import type { OperationExample } from './to-openapi.ts';
import recorded from './openapi-examples.json' with { type: 'json' };

/**
 * Recorded requests and responses by operation. The tests in `e2e/reference` record them and check
 * that the current system returns the same.
 */
export const EXAMPLES: Readonly<Record<string, OperationExample>> = recorded;
