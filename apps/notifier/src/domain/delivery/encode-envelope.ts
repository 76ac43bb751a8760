type Envelope = { event: string; data: object; timestamp: Date; webhookId: string };

/** What is posted of an event: the bytes of this text are signed. */
export const encodeEnvelope = ({ webhookId, ...content }: Envelope): string => {
  const { before, behind } = splitEnvelope(content);
  return `${before}${webhookId}${behind}`;
};

/** An envelope for any webhook, whose id goes in between. */
export type SplitEnvelope = { before: string; behind: string };

/**
 * The same text as {@link encodeEnvelope}, written once however many webhooks get it. An id is one
 * word, which JSON leaves as it is.
 */
export const splitEnvelope = ({
  event,
  data,
  timestamp,
}: Omit<Envelope, 'webhookId'>): SplitEnvelope => {
  const text = JSON.stringify({ event, data, timestamp: timestamp.toISOString(), webhookId: '' });
  return { before: text.slice(0, -BEHIND.length), behind: BEHIND };
};

/** Closes the id, which is the last member, and the envelope. */
const BEHIND = '"}';
