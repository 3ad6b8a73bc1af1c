package p.q;

public interface Marker {}
