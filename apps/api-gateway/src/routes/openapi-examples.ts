import type { OperationExample } from '../http/to-openapi.ts';
import recorded from './openapi-examples.json' with { type: 'json' };

/**
 * Recorded calls and responses by operation. The tests in `e2e/reference` record them and compare
 * them with the current system.
 */
export const EXAMPLES: Readonly<Record<string, OperationExample>> = recorded;
