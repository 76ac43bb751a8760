import type { OperationExample } from '../http/to-openapi.ts';
import recorded from './openapi-examples.json' with { type: 'json' };

/**
 * Recorded calls and responses by operation: `npm run examples` writes them, and a test compares
 * them with the current system.
 */
export const EXAMPLES: Readonly<Record<string, OperationExample>> = recorded;
