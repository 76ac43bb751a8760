import type { DebateEvent } from '@witan/contracts';
import { ValidationError } from '../../http/encode-native-error.ts';
import type { JsonSchema, RouteCall } from '../../http/route.ts';

export const isLastEvent = ({ event }: DebateEvent): boolean =>
  event.case === 'done' || event.case === 'failed';

export type DebatePosition = { debateId: string; afterSeq: number };

const HEADER = 'Last-Event-ID';

const LAST_EVENT_ID = /^(dbt_[0-9A-Za-z]{1,64}):(0|[1-9]\d{0,9})$/;

const SEQ_MAX = 2 ** 32 - 1;

export const LAST_EVENT_ID_HEADER: Readonly<Record<string, JsonSchema>> = {
  [HEADER]: {
    type: 'string',
    pattern: '^(dbt_[0-9A-Za-z]{1,64}:(0|[1-9][0-9]{0,9}))?$',
    description:
      '`id` of the last event that came, `<debateId>:<seq>`: tells what came after it, in place ' +
      'of beginning a debate',
  },
};

export const toEventId = ({ debateId, seq }: { debateId: string; seq: number }): string =>
  `${debateId}:${seq}`;

export const readLastEventId = ({
  request,
}: Pick<RouteCall, 'request'>): DebatePosition | undefined => {
  const text = request.get(HEADER);
  if (!text) return undefined;
  const [, debateId, seq] = LAST_EVENT_ID.exec(text) ?? [];
  if (debateId === undefined || Number(seq) > SEQ_MAX) {
    throw new ValidationError([{ path: HEADER, message: 'is not the id of an event' }]);
  }
  return { debateId, afterSeq: Number(seq) };
};
