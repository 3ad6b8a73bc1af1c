package peers.bodies;

import java.util.concurrent.atomic.AtomicReference;
import peers.Body;
import peers.Threads;

/** A stack whose nodes are used again: a node that was taken and put back looks as if nothing had happened. */
public final class Stack implements Body {
    private static final class Node {
        volatile Node next;
    }

    private final AtomicReference<Node> top = new AtomicReference<>();
    private final Node[] taken = new Node[2];

    public Stack() {
        push(new Node());
        push(new Node());
    }

    private Node pop() {
        while (true) {
            Node node = top.get();
            if (node == null) {
                return null;
            }
            if (top.compareAndSet(node, node.next)) {
                return node;
            }
        }
    }

    private void push(Node node) {
        while (true) {
            Node old = top.get();
            node.next = old;
            if (top.compareAndSet(old, node)) {
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
        Threads.run(new Stack());
    }
}
