type Envelope = { event: string; data: object; timestamp: Date; webhookId: string };

export const encodeEnvelope = ({ webhookId, ...content }: Envelope): string => {
  const { prefix, suffix } = splitEnvelope(content);
  return `${prefix}${webhookId}${suffix}`;
};

/** JSON text of an envelope before and after its webhook id. */
export type SplitEnvelope = { prefix: string; suffix: string };

/**
 * Returns the text of {@link encodeEnvelope} split around the webhook id, so that an event is
 * encoded once for all webhooks. The id is inserted as is, because it contains no character that
 * JSON escapes.
 */
export const splitEnvelope = ({
  event,
  data,
  timestamp,
}: Omit<Envelope, 'webhookId'>): SplitEnvelope => {
  const text = JSON.stringify({ event, data, timestamp: timestamp.toISOString(), webhookId: '' });
  return { prefix: text.slice(0, -SUFFIX.length), suffix: SUFFIX };
};

const SUFFIX = '"}';
