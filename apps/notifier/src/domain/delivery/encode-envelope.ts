type Envelope = { event: string; data: object; timestamp: Date; webhookId: string };

/** Returns the body of a delivery; the bytes of this text are signed. */
export const encodeEnvelope = ({ webhookId, ...content }: Envelope): string => {
  const { prefix, suffix } = splitEnvelope(content);
  return `${prefix}${webhookId}${suffix}`;
};

/** An envelope without the id of its webhook, which goes between the two parts. */
export type SplitEnvelope = { prefix: string; suffix: string };

/**
 * Returns the parts of the text of {@link encodeEnvelope}, so that it is encoded once for all
 * webhooks. A webhook id needs no escaping in JSON.
 */
export const splitEnvelope = ({
  event,
  data,
  timestamp,
}: Omit<Envelope, 'webhookId'>): SplitEnvelope => {
  const text = JSON.stringify({ event, data, timestamp: timestamp.toISOString(), webhookId: '' });
  return { prefix: text.slice(0, -SUFFIX.length), suffix: SUFFIX };
};

/** Closes the id, which is the last member, and the object. */
const SUFFIX = '"}';
