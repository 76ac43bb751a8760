import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/api.ts';
import type { components, paths } from '../../../gen/api.ts';
import { toInstants } from '../../../ui/day.ts';
import type { DayRange } from '../../../ui/day.ts';

type Page = components['schemas']['ListAuditEventsAnswer'];
export type AuditEvent = Page['events'][number];
type Parameters = NonNullable<paths['/v1/audit']['get']['parameters']['query']>;

/** The filters as in the address; days are in the reader's zone. */
export type AuditFilters = Pick<Parameters, 'action' | 'actor' | 'target'> & Partial<DayRange>;

const PAGE = 200;

const toQuery = ({ from, to, ...texts }: AuditFilters): Parameters => ({
  ...texts,
  ...(from && to ? toInstants({ from, to }) : {}),
});

/** The events that match all filters, newest first. */
export const auditQuery = (filters: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = { ...toQuery(filters), limit: PAGE, cursor };
      // The type is unknown, because the document has NDJSON beside JSON.
      return dataOf(api.GET('/v1/audit', { params: { query }, signal })) as Promise<Page>;
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export type ExportFormat = 'csv' | 'ndjson';

/** All events that match the filters, as a file. */
export const readAuditFile = (filters: AuditFilters, format: ExportFormat): Promise<Blob> =>
  dataOf(
    api.GET('/v1/audit', {
      params: { query: { ...toQuery(filters), format } },
      parseAs: 'blob',
    }),
  );
