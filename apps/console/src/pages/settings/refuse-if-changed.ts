/**
 * Throws if `current`, which was read right before a write, is not what the form was opened with:
 * the write would undo the change of another client. `subject` begins the sentence for the user.
 */
export const refuseIfChanged = (subject: string, opened: unknown, current: unknown): void => {
  if (JSON.stringify(opened) === JSON.stringify(current)) return;
  throw new Error(
    `${subject} changed after you opened this form, so nothing was saved. ` +
      'Cancel or discard your changes to see the current values, then change them again.',
  );
};
