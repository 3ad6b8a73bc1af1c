package peers.bodies;

import java.util.concurrent.atomic.AtomicStampedReference;
import peers.Body;
import peers.Threads;

/** A stack whose nodes are used again, with a stamp that tells a node that was put back from one that never left. */
public final class StackStamped implements Body {
    private static final class Node {
        volatile Node next;
    }

    private final AtomicStampedReference<Node> top = new AtomicStampedReference<>(null, 0);
    private final Node[] taken = new Node[2];

    public StackStamped() {
        push(new Node());
        push(new Node());
    }

    private Node pop() {
        int[] stamp = new int[1];
        while (true) {
            Node node = top.get(stamp);
            if (node == null) {
                return null;
            }
            if (top.compareAndSet(node, node.next, stamp[0], stamp[0] + 1)) {
                return node;
            }
        }
    }

    private void push(Node node) {
        int[] stamp = new int[1];
        while (true) {
            Node old = top.get(stamp);
            node.next = old;
            if (top.compareAndSet(old, node, stamp[0], stamp[0] + 1)) {
                return;
            }
        }
    }

    @Override
    public void run(int thread) {
        Node node = pop();
        if (thread == 1) {
            taken[1] = pop();
            if (node != null) {
                push(node);
            }
        } else {
            taken[0] = node;
        }
    }

    @Override
    public void check() {
        Node left = pop();
        if (left != null && (left == taken[0] || left == taken[1])) {
            throw new AssertionError("a node was taken, and is there");
        }
    }

    public static void main(String[] args) {
        Threads.run(new StackStamped());
    }
}
