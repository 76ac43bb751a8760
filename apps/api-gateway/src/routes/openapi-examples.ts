import type { OperationExample } from '../http/to-openapi.ts';
import recorded from './openapi-examples.json' with { type: 'json' };

/**
 * Calls and their answers, by operation, as a real system gave them: `npm run examples` records
 * them, and a test holds them to what the system answers now.
 */
export const EXAMPLES: Readonly<Record<string, OperationExample>> = recorded;
