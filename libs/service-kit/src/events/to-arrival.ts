import { toSubject } from './event.ts';
import type { Arrival } from './event.ts';
import type { OutboxRow } from './outbox-store.ts';

const SPEC_VERSION = '1.0';

/**
 * Returns an event of the outbox as its consumers receive it, or the error if its workspace id or
 * its type is invalid.
 */
export const toArrival = (row: OutboxRow, source: string): Arrival | Error => {
  try {
    return {
      subject: toSubject({ workspaceId: row.workspace_id, type: row.type }),
      headers: {
        ...row.trace,
        'ce-specversion': SPEC_VERSION,
        'ce-id': row.id,
        'ce-source': source,
        'ce-type': row.type,
        'ce-time': row.time,
      },
      payload: row.payload,
    };
  } catch (error) {
    return error as Error;
  }
};
