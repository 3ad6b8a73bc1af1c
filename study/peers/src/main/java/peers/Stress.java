package peers;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
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

/** The bodies for JCStress: its actors are the threads, its arbiter checks. The result is 0 if all is well, 1 if not. */
public final class Stress {
    private Stress() {}

    /** A body, and what its threads threw. */
    static final class Subject {
        private final Body body;
        private final Throwable[] thrown;

        Subject(Body body) {
            this.body = body;
            this.thrown = new Throwable[body.threads()];
        }

        void run(int thread) {
            try {
                body.run(thread);
            } catch (Throwable e) {
                thrown[thread] = e;
            }
        }

        int judge() {
            for (Throwable e : thrown) {
                if (e != null) {
                    return 1;
                }
            }
            try {
                body.check();
                return 0;
            } catch (AssertionError e) {
                return 1;
            }
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class CounterStress {
        private final Subject subject = new Subject(new Counter());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class CounterAtomicStress {
        private final Subject subject = new Subject(new CounterAtomic());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class LostUpdatesStress {
        private final Subject subject = new Subject(new LostUpdates());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class LostUpdatesBoundStress {
        private final Subject subject = new Subject(new LostUpdatesBound());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class RegistryStress {
        private final Subject subject = new Subject(new Registry());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class RegistryAbsentStress {
        private final Subject subject = new Subject(new RegistryAbsent());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class LastElementStress {
        private final Subject subject = new Subject(new LastElement());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class LastElementLockedStress {
        private final Subject subject = new Subject(new LastElementLocked());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class LockOrderStress {
        private final Subject subject = new Subject(new LockOrder());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class LockOrderSameStress {
        private final Subject subject = new Subject(new LockOrderSame());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class NotificationStress {
        private final Subject subject = new Subject(new Notification());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class NotificationGuardedStress {
        private final Subject subject = new Subject(new NotificationGuarded());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class BufferStress {
        private final Subject subject = new Subject(new Buffer());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class BufferCheckedStress {
        private final Subject subject = new Subject(new BufferChecked());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class StackStress {
        private final Subject subject = new Subject(new Stack());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class StackStampedStress {
        private final Subject subject = new Subject(new StackStamped());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class PublicationStress {
        private final Subject subject = new Subject(new Publication());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class PublicationFilledStress {
        private final Subject subject = new Subject(new PublicationFilled());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class TransferStress {
        private final Subject subject = new Subject(new Transfer());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class TransferOneLockStress {
        private final Subject subject = new Subject(new TransferOneLock());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class PhilosophersStress {
        private final Subject subject = new Subject(new Philosophers());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Actor
        public void run2() {
            subject.run(2);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class PhilosophersOrderedStress {
        private final Subject subject = new Subject(new PhilosophersOrdered());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Actor
        public void run2() {
            subject.run(2);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class PairStress {
        private final Subject subject = new Subject(new Pair());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class PairReadStress {
        private final Subject subject = new Subject(new PairRead());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class SpinLockStress {
        private final Subject subject = new Subject(new SpinLock());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }

    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "as it should be")
    @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "failed")
    @State
    public static class SpinLockSwapStress {
        private final Subject subject = new Subject(new SpinLockSwap());

        @Actor
        public void run0() {
            subject.run(0);
        }

        @Actor
        public void run1() {
            subject.run(1);
        }

        @Arbiter
        public void judge(I_Result result) {
            result.r1 = subject.judge();
        }
    }
}
