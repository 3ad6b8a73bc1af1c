package peers;

import peers.bodies.Buffer;
import peers.bodies.BufferChecked;
import peers.bodies.Counter;
import peers.bodies.CounterAtomic;
import peers.bodies.LastElement;
import peers.bodies.LastElementLocked;
import peers.bodies.LockOrder;
import peers.bodies.LockOrderSame;
import peers.bodies.LostUpdates;
import peers.bodies.LostUpdatesBound;
import peers.bodies.Notification;
import peers.bodies.NotificationGuarded;
import peers.bodies.Pair;
import peers.bodies.PairRead;
import peers.bodies.Philosophers;
import peers.bodies.PhilosophersOrdered;
import peers.bodies.Publication;
import peers.bodies.PublicationFilled;
import peers.bodies.Registry;
import peers.bodies.RegistryAbsent;
import peers.bodies.SpinLock;
import peers.bodies.SpinLockSwap;
import peers.bodies.Stack;
import peers.bodies.StackStamped;
import peers.bodies.Transfer;
import peers.bodies.TransferOneLock;

/** Makes bodies by name. No constructor references: an object that one made is taken by Lincheck 3.7 not to be shared. */
final class Bodies {
    private Bodies() {}

    static Body make(String name) {
        return switch (name) {
            case "Counter" -> new Counter();
            case "CounterAtomic" -> new CounterAtomic();
            case "LostUpdates" -> new LostUpdates();
            case "LostUpdatesBound" -> new LostUpdatesBound();
            case "Registry" -> new Registry();
            case "RegistryAbsent" -> new RegistryAbsent();
            case "LastElement" -> new LastElement();
            case "LastElementLocked" -> new LastElementLocked();
            case "LockOrder" -> new LockOrder();
            case "LockOrderSame" -> new LockOrderSame();
            case "Notification" -> new Notification();
            case "NotificationGuarded" -> new NotificationGuarded();
            case "Buffer" -> new Buffer();
            case "BufferChecked" -> new BufferChecked();
            case "Stack" -> new Stack();
            case "StackStamped" -> new StackStamped();
            case "Publication" -> new Publication();
            case "PublicationFilled" -> new PublicationFilled();
            case "Transfer" -> new Transfer();
            case "TransferOneLock" -> new TransferOneLock();
            case "Philosophers" -> new Philosophers();
            case "PhilosophersOrdered" -> new PhilosophersOrdered();
            case "Pair" -> new Pair();
            case "PairRead" -> new PairRead();
            case "SpinLock" -> new SpinLock();
            case "SpinLockSwap" -> new SpinLockSwap();
            default -> throw new IllegalArgumentException("no body is named " + name);
        };
    }
}
