import type { Database } from '@witan/service-kit';

/** What runs statements inside one transaction that sees one scope. */
export type Transaction = Parameters<Parameters<Database['scoped']>[1]>[0];
