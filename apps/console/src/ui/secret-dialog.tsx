import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Copyable } from './copyable.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { Notice } from './page-state.tsx';

type SecretDialogProps = {
  title: string;
  /** The new secret, which the API returns once; undefined until there is one. */
  secret: string | undefined;
  /** What the secret is, such as "key", and the title while it is shown. */
  name: string;
  secretTitle: string;
  onClose: () => void;
  /** The form that asks for the secret. */
  children: ReactNode;
};

/** A dialog with a form, then with the secret that it made, until the user has stored it. */
export const SecretDialog = (props: SecretDialogProps) => {
  const { title, secret, name, secretTitle, onClose, children } = props;
  if (secret === undefined) {
    return (
      <Dialog title={title} isOpen onClose={onClose}>
        {children}
      </Dialog>
    );
  }
  return (
    <Dialog title={secretTitle} isOpen onClose={onClose} isPersistent>
      <Notice tone="warn">
        Copy the {name} now. It cannot be shown again after this dialog is closed.
      </Notice>
      <Copyable text={secret} name={name} />
      <DialogActions>
        <Button kind="primary" onPress={onClose} autoFocus>
          I have stored it
        </Button>
      </DialogActions>
    </Dialog>
  );
};
