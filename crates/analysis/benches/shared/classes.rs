//! Classes to analyse: known ones of the JDK with and without locks, and some of the size of DepCon+'s subjects, up to more
//! than its largest, which has 218 public methods.

pub const CLASSES: [&str; 19] = [
    "java.util.Vector",
    "java.util.Hashtable",
    "java.lang.StringBuffer",
    "java.util.Collections$SynchronizedMap",
    "java.util.Collections$SynchronizedList",
    "java.util.Stack",
    "java.util.HashMap",
    "java.util.TreeMap",
    "java.util.LinkedList",
    "java.util.ArrayList",
    "java.util.concurrent.LinkedBlockingQueue",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.CopyOnWriteArrayList",
    "java.util.Arrays",
    "java.util.Timer",
    "java.io.BufferedInputStream",
    "java.io.PipedInputStream",
    "java.util.logging.Logger",
    "javax.swing.JTable",
];
