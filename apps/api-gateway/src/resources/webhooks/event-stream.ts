import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { EventService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { ValidationError } from '../../http/encode-native-error.ts';
import { STREAM } from '../../http/route.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { streamEvents, toEventFrame } from '../../server/stream-events.ts';
import { followAcrossReplicas } from '../follow-across-replicas.ts';
import { nativeRoutes } from '../native-routes.ts';

type Events = Client<typeof EventService>;

/** After it a stream ends with an error; clients of event streams then connect again. */
const STREAM_TIMEOUT_MS = 24 * 3_600_000;

const HEADER = 'Last-Event-ID';
const EVENT_ID = '[0-9A-Za-z_-]{1,64}';
const EVENT_ID_PATTERN = new RegExp(`^${EVENT_ID}$`);

const { handled } = nativeRoutes('Webhooks', 'webhooks');

/** A GET, because EventSource cannot send a POST. */
export const eventStreamRoute = (events: Events): Route =>
  handled('get', '/v1/events/stream', {
    id: 'streamEvents',
    summary: 'The events of the workspace as they happen, without an endpoint of yours',
    description:
      'The events and `data` that webhooks get; no webhook is needed. Events are stored for ' +
      'about a day: a client that connects again with `Last-Event-ID` gets those that it missed.',
    headers: {
      [HEADER]: {
        type: 'string',
        pattern: `^(${EVENT_ID})?$`,
        description: '`id` of the last event that came; absent: events from now on',
      },
    },
    wantsStream: () => true,
    limitsStreams: true,
    responses: {
      200: {
        description:
          'For each event its name as `event`, its id, and as `data` {event, data, timestamp}; ' +
          '`error` when the stream fails',
        contentType: 'text/event-stream',
        schema: STREAM,
      },
    },
    errors: { 400: `${HEADER} is the id of no event` },
    handle: async ({ call, options }) => {
      const streamOptions = { ...options, timeoutMs: STREAM_TIMEOUT_MS };
      const first = events.followEvents({ afterEventId: readLastEventId(call) }, streamOptions);
      const followed = followAcrossReplicas(
        first,
        ({ position: afterPosition }) => events.followEvents({ afterPosition }, streamOptions),
        { signal: call.signal },
      );
      await streamEvents(followed, call, ({ id, name, data, occurredAt }) => {
        // The first message of each replica has a position only.
        if (id === '') return '';
        const timestamp = timestampDate(occurredAt!);
        return toEventFrame(name, { event: name, data: JSON.parse(data), timestamp }, id);
      });
      return undefined;
    },
  });

const readLastEventId = ({ request }: Pick<RouteCall, 'request'>): string => {
  const id = request.get(HEADER) ?? '';
  if (id === '' || EVENT_ID_PATTERN.test(id)) return id;
  throw new ValidationError([{ path: HEADER, message: 'is not the id of an event' }]);
};
