/**
 * Returns whether the calls of an agent with this model address stay on the machine. Every address
 * that is not recognised counts as hosted.
 */
export const isLocalModel = (model: string): boolean => {
  const [base, ...flags] = model.trim().toLowerCase().split('+');
  return base === 'service-sensitive' || flags.includes('sensitive');
};
