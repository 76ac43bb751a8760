import type { ReactNode } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button, IconButton } from './button.tsx';
import css from './dialog.module.css';
import { Problem } from './page-state.tsx';

type DialogProps = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** If true, only a button closes the dialog, for content that is shown once. */
  isPersistent?: boolean;
  role?: 'dialog' | 'alertdialog';
  children: ReactNode;
};

/** A modal dialog. Focus moves into it and returns to the control that opened it. */
export const Dialog = (props: DialogProps) => {
  const { title, isOpen, onClose, isPersistent = false, role = 'dialog', children } = props;
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      isDismissable={!isPersistent}
      isKeyboardDismissDisabled={isPersistent}
      className={css.overlay}
    >
      <Modal className={css.modal}>
        <AriaDialog role={role} className={css.dialog}>
          <div className={css.head}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {!isPersistent && <IconButton icon="close" label="Close" onPress={onClose} />}
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
};

/** The buttons at the end of a dialog. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className={css.actions}>{children}</div>
);

type ConfirmDialogProps = Pick<DialogProps, 'title' | 'isOpen' | 'onClose' | 'children'> & {
  action: string;
  isPending: boolean;
  /** Why the action failed; nothing if null. */
  error?: unknown;
  onConfirm: () => void;
};

/** Asks before something that cannot be undone. */
export const ConfirmDialog = (props: ConfirmDialogProps) => (
  <Dialog title={props.title} isOpen={props.isOpen} onClose={props.onClose} role="alertdialog">
    <div>{props.children}</div>
    <Problem error={props.error} />
    <DialogActions>
      <Button onPress={props.onClose} autoFocus>
        Cancel
      </Button>
      <Button kind="danger" isPending={props.isPending} onPress={props.onConfirm}>
        {props.action}
      </Button>
    </DialogActions>
  </Dialog>
);

type DrawerProps = { label: string; isOpen: boolean; onClose: () => void; children: ReactNode };

/** A modal panel at the left edge, for the navigation on narrow screens. */
export const Drawer = ({ label, isOpen, onClose, children }: DrawerProps) => (
  <ModalOverlay
    isOpen={isOpen}
    onOpenChange={(open) => {
      if (!open) onClose();
    }}
    isDismissable
    className={`${css.overlay} ${css.drawer}`}
  >
    <Modal className={css.modal}>
      <AriaDialog aria-label={label} className={css.dialog}>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);
