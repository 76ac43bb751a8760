import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { invalidRequest } from '@witan/contracts';
import type { WorkspaceEventSchema } from '@witan/contracts';
import type { EventService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import { followEvents } from '../follow-events.ts';
import type { FollowDeps, Position, RecentEvent } from '../follow-events.ts';

type Message = MessageInitShape<typeof WorkspaceEventSchema>;

export const createEventHandlers = (deps: FollowDeps): Handlers<typeof EventService> => ({
  async *followEvents({ afterEventId: eventId, afterPosition }, call) {
    const { workspaceId } = call;
    const after = afterPosition === '' ? { eventId } : parsePosition(afterPosition);
    for await (const event of followEvents({ workspaceId, after }, call, deps)) {
      const position = `${event.position.tx}-${event.position.seq}`;
      yield 'id' in event ? { ...toMessage(event), position } : { position };
    }
  },
});

type Body = { event: string; data: object; timestamp: string };

const toMessage = ({ id, body }: RecentEvent): Message => {
  const { event: name, data, timestamp } = JSON.parse(body) as Body;
  const occurredAt = timestampFromMs(Date.parse(timestamp));
  return { id, name, data: JSON.stringify(data), occurredAt };
};

const parsePosition = (text: string): Position => {
  const [, tx, seq] = /^(\d{1,19})-(\d{1,18})$/.exec(text) ?? [];
  if (tx === undefined || seq === undefined) throw invalidRequest('A position is not valid.');
  return { tx, seq };
};
