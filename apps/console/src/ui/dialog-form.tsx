import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import css from './dialog.module.css';
import { DialogActions } from './dialog.tsx';
import { Problem } from './page-state.tsx';

type DialogFormProps = {
  /** Text of the button that submits. */
  action: string;
  isPending: boolean;
  /** Why the form cannot be submitted, or the error of the last submit; nothing if null. */
  problem?: unknown;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
};

/** The form of a Dialog: fields, what is wrong, and the buttons. Enter in a field submits. */
export const DialogForm = (props: DialogFormProps) => {
  const { action, isPending, problem, onSubmit, onClose, children } = props;
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        // Forms of a dialog are inside those of the page in React's tree.
        event.stopPropagation();
        onSubmit();
      }}
    >
      {children}
      <Problem error={problem} />
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" isPending={isPending}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
};
